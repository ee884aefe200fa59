-- Whoever uses this table waits behind this as long as it waits itself.
set local lock_timeout = '3s';

-- Deliveries that wait to be sent again, of one endpoint: counted before more are added.
create index webhook_deliveries_again on webhook_deliveries (webhook_id) where status = 'waiting' and redelivery_of is not null;
