import { longestDelayMs } from '../delivery/retry-schedule.js';

/** The schema of an import's state file; a migration adds an entry and never changes an older one. */
export const migrations: readonly string[] = [
  `CREATE TABLE import (
     id INTEGER PRIMARY KEY CHECK (id = 1),
     description TEXT NOT NULL,
     seed TEXT NOT NULL,
     selection TEXT NOT NULL
   );
   CREATE TABLE file (
     position INTEGER PRIMARY KEY,
     path TEXT NOT NULL,
     size INTEGER,
     modified REAL,
     head_bytes INTEGER NOT NULL,
     head_hash TEXT NOT NULL
   );
   CREATE TABLE progress (
     id INTEGER PRIMARY KEY CHECK (id = 1),
     place TEXT NOT NULL,
     delivered INTEGER NOT NULL,
     rejected INTEGER NOT NULL,
     failed INTEGER NOT NULL,
     skipped INTEGER NOT NULL,
     finished INTEGER NOT NULL
   );
   CREATE TABLE retry (
     id INTEGER PRIMARY KEY,
     due_at REAL NOT NULL,
     file INTEGER NOT NULL,
     line INTEGER NOT NULL,
     offset INTEGER NOT NULL,
     length INTEGER NOT NULL,
     part INTEGER NOT NULL,
     hash TEXT NOT NULL,
     text BLOB,
     given_id TEXT,
     message_id TEXT NOT NULL,
     writes_message_id INTEGER NOT NULL,
     timestamp TEXT,
     user TEXT NOT NULL,
     legs TEXT NOT NULL
   );
   CREATE INDEX retry_by_due ON retry (due_at);
   CREATE TABLE letter (id INTEGER PRIMARY KEY AUTOINCREMENT, line BLOB NOT NULL);`,
  // One row per file instead of one text for all of them. Older rows get no hash and no offset of a dead
  // letter, and the longest delay of the schedule as the delay of a retry.
  `CREATE TABLE last_line (
     file INTEGER PRIMARY KEY,
     line INTEGER NOT NULL,
     offset INTEGER NOT NULL,
     length INTEGER NOT NULL,
     hash TEXT
   );
   INSERT INTO last_line (file, line, offset, length)
     SELECT each.key, each.value ->> 'line', each.value ->> 'offset', each.value ->> 'length'
     FROM progress, json_each(progress.place, '$.last') AS each WHERE each.type = 'object';
   ALTER TABLE progress ADD COLUMN open TEXT NOT NULL DEFAULT '[]';
   UPDATE progress SET open = place -> 'open';
   ALTER TABLE progress DROP COLUMN place;
   ALTER TABLE retry ADD COLUMN delay REAL NOT NULL DEFAULT ${longestDelayMs};
   ALTER TABLE letter ADD COLUMN offset INTEGER;`,
  // Skipped events of older rows count as excluded by a filter.
  'ALTER TABLE progress ADD COLUMN disabled INTEGER NOT NULL DEFAULT 0;',
  'ALTER TABLE import ADD COLUMN credentials TEXT;',
];

export const schemaVersion = migrations.length;
