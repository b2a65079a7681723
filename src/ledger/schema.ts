/** The schema of an import's state file. Arrays are JSON text; a line that was too long has no hash. */
export const schema = `
  CREATE TABLE import (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    description TEXT NOT NULL,
    seed TEXT NOT NULL,
    selection TEXT NOT NULL,
    credentials TEXT
  );
  CREATE TABLE file (
    position INTEGER PRIMARY KEY,
    path TEXT NOT NULL,
    size INTEGER,
    modified REAL,
    head_bytes INTEGER NOT NULL,
    head_hash TEXT NOT NULL
  );
  CREATE TABLE last_line (
    file INTEGER PRIMARY KEY,
    line INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    length INTEGER NOT NULL,
    hash TEXT
  );
  CREATE TABLE progress (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    delivered INTEGER NOT NULL,
    rejected INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    skipped INTEGER NOT NULL,
    finished INTEGER NOT NULL,
    open TEXT NOT NULL,
    disabled INTEGER NOT NULL,
    unwanted INTEGER NOT NULL
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
    endpoints TEXT NOT NULL,
    delay REAL NOT NULL
  );
  CREATE INDEX retry_by_due ON retry (due_at);
  CREATE TABLE dead_letter (id INTEGER PRIMARY KEY AUTOINCREMENT, line BLOB NOT NULL, offset INTEGER);`;

export const schemaVersion = 6;
