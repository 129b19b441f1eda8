-- Requests within windows of a fixed length, for limits that hold over all servers. A count is worth no write-ahead log:
-- a crash of the database begins all windows anew, as a restart does where one server counts in memory.
create unlogged table {{schema}}.request_count (
  -- The hash of the limit and of whom it counts.
  key text collate "C" primary key,
  requests bigint not null,
  -- Milliseconds since 1970, by the clock of the database.
  ends_at bigint not null
);

create index request_count_ends_at on {{schema}}.request_count (ends_at);
