/** The layout of an audience's state file. */
export const layout = {
  version: 3,
  schema: `CREATE TABLE audience (
     id INTEGER PRIMARY KEY CHECK (id = 1),
     state_id TEXT NOT NULL,
     seed TEXT NOT NULL,
     credentials TEXT
   );
   CREATE TABLE member (
     user BLOB PRIMARY KEY,
     id BLOB NOT NULL,
     value BLOB NOT NULL,
     number INTEGER NOT NULL,
     is_unsure INTEGER NOT NULL
   ) WITHOUT ROWID;
   CREATE TABLE plan (
     number INTEGER PRIMARY KEY AUTOINCREMENT,
     file TEXT NOT NULL,
     made_at TEXT NOT NULL
   );
   CREATE TABLE change (
     line INTEGER PRIMARY KEY,
     user BLOB NOT NULL,
     id BLOB NOT NULL,
     value BLOB NOT NULL,
     before BLOB,
     number INTEGER NOT NULL,
     is_failed INTEGER NOT NULL DEFAULT 0
   );
   CREATE TABLE problem (
     line INTEGER PRIMARY KEY,
     offset INTEGER NOT NULL,
     length INTEGER NOT NULL,
     code TEXT NOT NULL,
     message TEXT NOT NULL,
     bytes BLOB NOT NULL,
     is_json INTEGER NOT NULL
   );`,
};

/** Temporary tables for a list while it is compared. */
export const staging = `
  CREATE TEMP TABLE staged (
    user BLOB PRIMARY KEY,
    id BLOB NOT NULL,
    value BLOB NOT NULL,
    line INTEGER NOT NULL,
    is_conflicting INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;
  CREATE TEMP TABLE staged_problem AS SELECT * FROM problem WHERE false;`;

/**
 * Users whose value is new or has changed, in the order of the list, except those with different values
 * in the list. A user whose last change failed gets the same change again, with the same number.
 */
export const planChanges = `
  INSERT INTO change (user, id, value, before, number)
  SELECT s.user, s.id, s.value, m.value,
    CASE WHEN m.value IS s.value THEN m.number ELSE coalesce(m.number, 0) + 1 END
  FROM staged s LEFT JOIN member m ON m.user = s.user
  WHERE NOT s.is_conflicting AND (m.user IS NULL OR m.value <> s.value OR m.is_unsure)
  ORDER BY s.line`;

/** Members that are not in the list, including those whose removal has failed before. */
export const planRemovals = `
  INSERT INTO change (user, id, value, before, number)
  SELECT m.user, m.id, ?1, m.value,
    CASE WHEN m.value = ?1 THEN m.number ELSE m.number + 1 END
  FROM member m
  WHERE NOT EXISTS (SELECT 1 FROM staged s WHERE s.user = m.user)
    AND (m.value <> ?1 OR m.is_unsure)
  ORDER BY m.user`;

/** Applies the changes of the plan to the state, when all of them have ended. */
export const applyChanges = `
  INSERT INTO member (user, id, value, number, is_unsure)
  SELECT user, id, value, number, is_failed FROM change WHERE true
  ON CONFLICT (user) DO UPDATE SET
    id = excluded.id, value = excluded.value, number = excluded.number, is_unsure = excluded.is_unsure`;
