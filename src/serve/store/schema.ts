import type { StateUse } from '../../storage/state-file.js';

/** The layout of the file; a migration is one more entry, and never changes an older one. */
const migrations: readonly string[] = [
  `CREATE TABLE party (
     id INTEGER PRIMARY KEY,
     kind TEXT NOT NULL,
     name TEXT NOT NULL,
     UNIQUE (kind, name)
   );
   CREATE TABLE event (
     id INTEGER PRIMARY KEY,
     source INTEGER NOT NULL,
     received_at REAL NOT NULL,
     message_id TEXT NOT NULL,
     writes_message_id INTEGER NOT NULL,
     timestamp TEXT,
     bytes BLOB NOT NULL
   );
   CREATE TABLE delivery (
     event INTEGER NOT NULL,
     destination INTEGER NOT NULL,
     due_at REAL,
     legs TEXT,
     code TEXT,
     message TEXT,
     PRIMARY KEY (event, destination)
   ) WITHOUT ROWID;
   CREATE INDEX delivery_by_turn ON delivery (destination, due_at, event);
   CREATE TABLE letter (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     destination INTEGER NOT NULL,
     failed_at REAL NOT NULL,
     code TEXT NOT NULL,
     message TEXT NOT NULL,
     attempts INTEGER NOT NULL,
     last_status INTEGER,
     source INTEGER NOT NULL,
     received_at REAL NOT NULL,
     message_id TEXT NOT NULL,
     writes_message_id INTEGER NOT NULL,
     timestamp TEXT,
     bytes BLOB NOT NULL
   );
   CREATE INDEX letter_by_destination ON letter (destination, id);
   CREATE TABLE rejected (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     source INTEGER NOT NULL,
     received_at REAL NOT NULL,
     code TEXT NOT NULL,
     message TEXT NOT NULL,
     bytes BLOB NOT NULL,
     is_json INTEGER NOT NULL
   );
   CREATE TABLE deletion (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     source INTEGER NOT NULL,
     user_id TEXT NOT NULL,
     timestamp TEXT NOT NULL,
     received_at REAL NOT NULL
   );
   CREATE TABLE count (
     source INTEGER NOT NULL,
     destination INTEGER NOT NULL,
     what TEXT NOT NULL,
     n INTEGER NOT NULL,
     PRIMARY KEY (source, destination, what)
   ) WITHOUT ROWID;
   CREATE TABLE seen (
     key BLOB PRIMARY KEY,
     at INTEGER NOT NULL
   ) WITHOUT ROWID;
   CREATE TABLE seen_log (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     at INTEGER NOT NULL,
     keys BLOB NOT NULL
   );`,
  // Keys go from rows of their own to the log, and from there to packed rows, see seen-table.ts.
  `INSERT INTO seen_log (at, keys) SELECT at, key FROM seen;
   DROP TABLE seen;
   CREATE TABLE seen_page (
     start INTEGER PRIMARY KEY,
     tick INTEGER NOT NULL,
     ids BLOB NOT NULL
   );`,
  'CREATE TABLE mark (at REAL PRIMARY KEY, event INTEGER NOT NULL) WITHOUT ROWID',
  // Ids of events are not used again, and each event has the time when it was queued: what has an id
  // above that of a mark was queued after it. The wait of a retry is kept beside the time when it is
  // due; of older ones it is not known, and the window of all retries is taken for it.
  `CREATE TABLE queued_event (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     source INTEGER NOT NULL,
     received_at REAL NOT NULL,
     message_id TEXT NOT NULL,
     writes_message_id INTEGER NOT NULL,
     timestamp TEXT,
     bytes BLOB NOT NULL,
     queued_at REAL NOT NULL
   );
   INSERT INTO queued_event
     SELECT id, source, received_at, message_id, writes_message_id, timestamp, bytes,
       max(received_at, coalesce(
         (SELECT at FROM mark WHERE mark.event < event.id ORDER BY at DESC LIMIT 1), 0))
     FROM event ORDER BY id;
   DELETE FROM sqlite_sequence WHERE name = 'queued_event';
   INSERT INTO sqlite_sequence (name, seq) SELECT 'queued_event', max(
     coalesce((SELECT max(id) FROM event), 0), coalesce((SELECT max(event) FROM mark), 0));
   DROP TABLE event;
   ALTER TABLE queued_event RENAME TO event;
   DROP TABLE mark;
   ALTER TABLE delivery ADD COLUMN delay_ms REAL;
   UPDATE delivery SET delay_ms = ${4 * 60 * 60_000} WHERE due_at IS NOT NULL;`,
  // Until now a messageId was remembered for its source, from now on for a source and a
  // destination. The newest of the old ones says how long they have to be looked up: ticks of
  // seen-table.ts.
  `CREATE TABLE seen_before (tick INTEGER NOT NULL);
   INSERT INTO seen_before SELECT tick FROM (
     SELECT max(tick) AS tick FROM (
       SELECT max(tick) AS tick FROM seen_page
       UNION ALL SELECT max(at) * 1000 / 600000 FROM seen_log))
     WHERE tick IS NOT NULL;`,
  // The messageId of the notification, and whether the delivery log may still name the user.
  `ALTER TABLE deletion ADD COLUMN message_id TEXT;
   ALTER TABLE deletion ADD COLUMN in_log INTEGER NOT NULL DEFAULT 1;`,
  // What the last response said, as JSON: a body of at most 4,096 bytes, and headers.
  'ALTER TABLE letter ADD COLUMN response TEXT',
  // Keys go from rows that were ordered by key to buckets by their first byte, see seen-table.ts.
  `CREATE TABLE seen_run (
     bucket INTEGER NOT NULL,
     run INTEGER NOT NULL,
     tick INTEGER NOT NULL,
     entries BLOB NOT NULL,
     PRIMARY KEY (bucket, run)
   ) WITHOUT ROWID;
   INSERT INTO seen_run SELECT 256 + (start >> 24), start, tick, ids FROM seen_page;
   DROP TABLE seen_page;`,
  // Events without an attempt go to blocks, see event-queue.ts. Ids of events are still not used again.
  // `entries` is JSON, see event-block.ts; `waiting_bits` has a bit for each event of the block, which is
  // set while it waits. NULL: all wait.
  `CREATE TABLE event_block (
     last_id INTEGER PRIMARY KEY AUTOINCREMENT,
     queued_at REAL NOT NULL,
     entries TEXT NOT NULL,
     bytes BLOB NOT NULL
   );
   CREATE TABLE queued_block (
     destination INTEGER NOT NULL,
     last_id INTEGER NOT NULL,
     event_count INTEGER NOT NULL,
     waiting_count INTEGER NOT NULL,
     waiting_bits BLOB,
     PRIMARY KEY (destination, last_id)
   ) WITHOUT ROWID;
   CREATE INDEX queued_block_by_last_id ON queued_block (last_id);
   INSERT INTO event_block
     SELECT id, queued_at, json_array(json_array(
       length(bytes), source, received_at, message_id, writes_message_id, timestamp)), bytes
     FROM event WHERE id IN (SELECT event FROM delivery WHERE due_at IS NULL);
   DELETE FROM sqlite_sequence WHERE name = 'event_block';
   INSERT INTO sqlite_sequence (name, seq) SELECT 'event_block', seq FROM sqlite_sequence
     WHERE name = 'event';
   INSERT INTO queued_block
     SELECT destination, event, 1, 1, NULL FROM delivery WHERE due_at IS NULL;
   DELETE FROM delivery WHERE due_at IS NULL;
   DELETE FROM event WHERE id NOT IN (SELECT event FROM delivery);
   ALTER TABLE event RENAME TO retry_event;
   ALTER TABLE delivery RENAME TO retry;`,
  // Finds the oldest retry of a destination.
  'CREATE INDEX retry_by_age ON retry (destination, event)',
  // messageIds are JSON text from now on: SQLite's bindings cut a text at U+0000, and UTF-8 has no lone
  // surrogates. A dead letter has the key of its event, see seen-key.ts.
  `UPDATE retry_event SET message_id = json_quote(message_id);
   UPDATE letter SET message_id = json_quote(message_id);
   ALTER TABLE letter ADD COLUMN seen_key BLOB;
   CREATE INDEX letter_by_seen_key ON letter (seen_key);`,
];

/** How a service uses its state file. */
export const stateOfService: StateUse = {
  migrations,
  advice: {
    removed: 'while the service ran; start it again',
    newer: 'choose another place with --state-dir',
    damaged: 'restore it from a backup, or move it away',
    inUse: 'stop that one first',
    notWritten: 'make room or make it writable',
    full: '; events that were accepted are kept there',
  },
};
