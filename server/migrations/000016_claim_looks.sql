-- Claims that nothing becomes of are looked at less and less often: look_at says when next, looks how often in a row nothing was found.
alter table settlement_claims rename column looked_at to look_at;
alter table settlement_claims add column looks integer not null default 0 check (looks >= 0);
