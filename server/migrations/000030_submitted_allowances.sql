-- An allowance that a caller has signed for a sale is stored beside the sale and sent again with it. It is no form of the sale.
alter table submissions add column is_approval boolean not null default false;
