-- Sessions of MCP clients of 2025-11-25 and older, so that each of their requests may reach another replica.

-- Running servers. One that was not seen for some seconds counts as gone, with everything it was doing.
create table {{schema}}.mcp_replica (
  id text primary key,
  seen_at timestamptz not null default now(),
  -- It said that it ends.
  is_stopped boolean not null default false
);

create table {{schema}}.mcp_session (
  -- A hash: the id itself opens the session.
  key text primary key,
  endpoint text not null,
  owner text not null,
  -- The parameters of `initialize`, as JSON.
  opening text not null,
  is_ready boolean not null default false,
  log_level text,
  subscriptions text[] not null default '{}',
  -- Counts the changes of the three columns above.
  version bigint not null default 1,
  -- The replica that sends what belongs to no request: the one with the stream for it, or the last that had it.
  speaker text not null,
  -- The replica that has this stream open.
  listener text,
  -- How often the stream was opened, how many messages were meant for it, and how many were sent.
  streams integer not null default 0,
  pushed bigint not null default 0,
  sent bigint not null default 0,
  used_at timestamptz not null default now()
);

create index mcp_session_used on {{schema}}.mcp_session (endpoint, used_at);
create index mcp_session_speaker on {{schema}}.mcp_session (speaker);

-- Requests without an answer.
create table {{schema}}.mcp_call (
  session text not null references {{schema}}.mcp_session on delete cascade,
  -- The id of the request, as JSON.
  request text not null,
  stream bigint not null,
  replica text not null,
  -- Another replica waits for the events of the stream.
  is_followed boolean not null default false,
  primary key (session, request)
);

create index mcp_call_stream on {{schema}}.mcp_call (session, stream);
create index mcp_call_replica on {{schema}}.mcp_call (replica);

-- Events of the streams that answer requests, and of stream 0, which belongs to no request.
create table {{schema}}.mcp_event (
  session text not null references {{schema}}.mcp_session on delete cascade,
  stream bigint not null,
  seq bigint not null,
  writer text not null,
  -- Null for an event that has only an id.
  message text,
  bytes integer not null default 0,
  at timestamptz not null default now(),
  primary key (session, stream, seq)
);

create index mcp_event_at on {{schema}}.mcp_event (at);

-- Messages of clients for the replica that waits for them.
create table {{schema}}.mcp_inbox (
  id bigint generated always as identity primary key,
  replica text not null,
  session text not null,
  message text not null,
  -- The caller of the message, as JSON, where it is a request.
  caller text,
  at timestamptz not null default now()
);

create index mcp_inbox_replica on {{schema}}.mcp_inbox (replica, id);

-- Authenticates what clients carry from one request to the next: one row.
create table {{schema}}.mcp_secret (
  is_only boolean primary key default true check (is_only),
  secret text not null
);
