-- Whoever uses this table waits behind this as long as it waits itself.
set local lock_timeout = '3s';

-- A send of ours may have its remark, too: a token that keeps a part gives its recipient less. The rows that are there fulfilled more than that.
alter table payments drop constraint payments_self_custody;
alter table payments add constraint payments_self_custody check (
  case when self_custody then wallet_id is null and fee_ceiling is null
    else abandoned_at is null and (remark is null or type = 'sent') end) not valid;
