import type { StateUse } from '../../../storage/state-file.js';

/**
 * Ids of events are never used again. What was attempted is in `retry` and `retry_event`, one row per event; what was
 * not is in blocks, see event-queue.ts: `entries` is JSON, see event-block.ts, and `waiting_bits` has a bit for each
 * event of the block, which is set while it waits (NULL: all wait). `seen_log` and `seen_run` have the keys of
 * seen-key.ts, see seen-table.ts. `user_event` has the events of ordered destinations that have left their blocks, see
 * user-events.ts: those that are parked have a row in `retry_event`, and none in `retry`.
 *
 * `replay` has the replays of kept events, see replays.ts: `request` and `position` are JSON.
 * `scrub` is empty, but while freed pages are overwritten, see freed-pages.ts.
 *
 * messageIds are JSON text: SQLite's bindings cut a text at U+0000, and UTF-8 has no lone surrogates. `endpoints` and
 * `response` are JSON, too: the state of the event at each URL, and what the last response said.
 */
const schema = `
  CREATE TABLE name (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    UNIQUE (kind, name)
  );
  CREATE TABLE event_block (
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
  CREATE TABLE retry_event (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    source INTEGER NOT NULL,
    received_at REAL NOT NULL,
    message_id TEXT NOT NULL,
    writes_message_id INTEGER NOT NULL,
    timestamp TEXT,
    replay TEXT,
    bytes BLOB NOT NULL,
    queued_at REAL NOT NULL
  );
  CREATE TABLE retry (
    event INTEGER NOT NULL,
    destination INTEGER NOT NULL,
    due_at REAL,
    delay_ms REAL,
    endpoints TEXT,
    code TEXT,
    message TEXT,
    PRIMARY KEY (event, destination)
  ) WITHOUT ROWID;
  CREATE INDEX retry_by_turn ON retry (destination, due_at, event);
  CREATE INDEX retry_by_age ON retry (destination, event);
  CREATE TABLE user_event (
    destination INTEGER NOT NULL,
    user BLOB NOT NULL,
    event INTEGER NOT NULL,
    is_parked INTEGER NOT NULL,
    behind INTEGER NOT NULL,
    PRIMARY KEY (destination, user, event)
  ) WITHOUT ROWID;
  CREATE INDEX user_event_by_age ON user_event (destination, event);
  CREATE TABLE dead_letter (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    destination INTEGER NOT NULL,
    failed_at REAL NOT NULL,
    code TEXT NOT NULL,
    message TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    last_status INTEGER,
    response TEXT,
    source INTEGER NOT NULL,
    received_at REAL NOT NULL,
    message_id TEXT NOT NULL,
    writes_message_id INTEGER NOT NULL,
    timestamp TEXT,
    replay TEXT,
    bytes BLOB NOT NULL,
    seen_key BLOB
  );
  CREATE INDEX dead_letter_by_destination ON dead_letter (destination, id);
  CREATE INDEX dead_letter_by_seen_key ON dead_letter (seen_key);
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
    received_at REAL NOT NULL,
    message_id TEXT NOT NULL,
    in_log INTEGER NOT NULL DEFAULT 1
  );
  CREATE TABLE count (
    source INTEGER NOT NULL,
    destination INTEGER NOT NULL,
    what TEXT NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (source, destination, what)
  ) WITHOUT ROWID;
  CREATE TABLE seen_log (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    keys BLOB NOT NULL
  );
  CREATE TABLE seen_run (
    bucket INTEGER NOT NULL,
    run INTEGER NOT NULL,
    tick INTEGER NOT NULL,
    entries BLOB NOT NULL,
    PRIMARY KEY (bucket, run)
  ) WITHOUT ROWID;
  CREATE TABLE replay (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    destination TEXT NOT NULL,
    request TEXT NOT NULL,
    state TEXT NOT NULL,
    created_at REAL NOT NULL,
    ended_at REAL,
    position TEXT,
    sent INTEGER NOT NULL DEFAULT 0,
    message TEXT
  );
  CREATE TABLE scrub (bytes BLOB NOT NULL);`;

/** How a service uses its state file. */
export const stateOfService: StateUse = {
  version: 14,
  schema,
  advice: {
    removed: 'while the service ran; start it again',
    otherVersion: 'choose another place with --state-dir',
    damaged: 'restore it from a backup, or move it away',
    inUse: 'stop that one first',
    notWritten: 'make room or make it writable',
    full: '; events that were accepted are kept there',
  },
};
