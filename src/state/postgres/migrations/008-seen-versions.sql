-- The versions of notes that sessions were shown, for a day. Not logged: a crash empties it, as a restart empties the
-- memory of a server without a database.
create unlogged table {{schema}}.seen_version (
  -- The hash of a session and the set of notes.
  session bytea not null,
  path text collate "C" not null,
  version text not null,
  at timestamptz not null default now(),
  primary key (session, path)
);

create index seen_version_at on {{schema}}.seen_version (at);
