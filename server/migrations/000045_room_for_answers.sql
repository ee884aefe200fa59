-- A claim is changed as soon as its answer is written: with room beside it the new version stays in its page, and no index hears of it.
alter table settlement_claims set (fillfactor = 50);

-- Whoever uses these tables waits behind this as long as it waits itself.
set local lock_timeout = '3s';

-- What is signed hardly gets smaller by compressing, and somebody waits meanwhile.
alter table attempts alter column raw set storage external;
alter table attempts alter column terms set storage external;
