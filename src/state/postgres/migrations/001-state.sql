-- What the authorization server remembers. Keys sort by their bytes, so that a prefix is a range of the index.
create table {{schema}}.state (
  key text collate "C" primary key,
  value text not null,
  -- Milliseconds since 1970; null for ever.
  expires_at bigint
);

create index state_expires_at on {{schema}}.state (expires_at) where expires_at is not null;
