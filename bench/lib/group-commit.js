import { DatabaseSync } from '@photostructure/sqlite';

/** A table of texts in WAL mode, durable at each commit. It has each messageId once. */
export function openTable(path) {
  const database = new DatabaseSync(path);
  database.exec(
    'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL',
  );
  database.exec('CREATE TABLE event (id INTEGER PRIMARY KEY, message_id TEXT UNIQUE, body BLOB)');
  return database;
}

/** Runs `write` for all items that were added within `ms`, in one transaction, and then `done`. */
export function groupCommit(database, ms, write, done) {
  let items = [];
  const commit = () => {
    const group = items;
    items = [];
    database.exec('BEGIN IMMEDIATE');
    for (const item of group) write(item);
    database.exec('COMMIT');
    for (const item of group) done(item);
  };
  return (item) => {
    if (items.push(item) === 1) setTimeout(commit, ms);
  };
}

/** Adds an event, unless its messageId is in the table. */
export const insertEvent = 'INSERT OR IGNORE INTO event (message_id, body) VALUES (?, ?)';
