/**
 * The locks that somebody waits for in this database, as a table for tests: two test files run at once on one server, and `pg_locks` shows the
 * waits of both. What is waited for may belong to no database, as the end of a transaction does, but whoever waits holds something of theirs.
 * `pg_stat_activity` says it as well, but to one transaction always the same.
 */
export const WAITS_HERE = `(select * from pg_locks where not granted and pid in (
  select pid from pg_locks where database = (select oid from pg_database where datname = current_database()))) waits`
