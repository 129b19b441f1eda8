-- Leases: work that one replica does at a time. `fence` grows with every holder.
create table {{schema}}.lease (
  name text collate "C" primary key,
  holder text not null,
  fence bigint not null,
  until timestamptz not null
);

create sequence {{schema}}.lease_fence;

-- Hash chains: one order across all replicas, because every append locks the row of its chain.
create table {{schema}}.chain (
  id integer generated always as identity primary key,
  name text not null,
  -- For one that was found changed and put aside: the name it is kept under.
  kept_as text,
  -- Names the chain outside the database; a new one after one that was put aside has the same.
  uid uuid not null default gen_random_uuid(),
  seq bigint not null default 0,
  hash text not null default repeat('0', 64),
  bytes bigint not null default 0,
  -- The end as a replica has sealed it, by a key that the database does not have.
  noted_seq bigint not null default 0,
  noted text
);

create unique index chain_current on {{schema}}.chain (name) where kept_as is null;

create table {{schema}}.chain_line (
  chain integer not null,
  seq bigint not null,
  -- Milliseconds since 1970.
  at bigint not null,
  line text not null,
  primary key (chain, seq)
);

create index chain_line_at on {{schema}}.chain_line (chain, at);

-- Adds lines to the current chain of that name. `bodies` are the members of JSON objects; number, time and the hash of
-- the line before are put around them. Returns nothing when the chain does not end at `expected`.
create function {{schema}}.chain_append(chain_name text, bodies text[], expected bigint, given_time text)
returns table (seq bigint, hash text, "time" text, noted_seq bigint, bytes bigint) language plpgsql as $$
declare
  head {{schema}}.chain;
  body text;
  line text;
  moment timestamptz;
begin
  select chain.* into head from {{schema}}.chain where chain.name = chain_name and chain.kept_as is null for update;
  if not found then
    insert into {{schema}}.chain (name) values (chain_name) on conflict do nothing;
    select chain.* into head from {{schema}}.chain where chain.name = chain_name and chain.kept_as is null for update;
  end if;
  if expected is not null and head.seq <> expected then
    return;
  end if;
  moment := coalesce(given_time::timestamptz, clock_timestamp());
  "time" := to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
  foreach body in array bodies loop
    head.seq := head.seq + 1;
    line := '{"seq":' || head.seq || ',"time":"' || "time" || '",' || body || ',"prev":"' || head.hash || '"}';
    head.hash := encode(sha256(convert_to(line, 'UTF8')), 'hex');
    head.bytes := head.bytes + octet_length(line) + 1;
    insert into {{schema}}.chain_line (chain, seq, at, line)
      values (head.id, head.seq, floor(extract(epoch from moment) * 1000), line);
  end loop;
  update {{schema}}.chain set seq = head.seq, hash = head.hash, bytes = head.bytes where chain.id = head.id;
  return query select head.seq, head.hash, "time", head.noted_seq, head.bytes;
end
$$;

-- Small values that replicas read and change as a whole.
create table {{schema}}.document (
  name text collate "C" primary key,
  version bigint not null,
  value text not null
);

-- What happened to approvals, in one order: an event is added to the log that its replica has read, or not at all.
create table {{schema}}.approval_log (
  is_only boolean primary key default true check (is_only),
  version bigint not null,
  -- Another number when events were removed.
  epoch bigint not null
);

insert into {{schema}}.approval_log (version, epoch) values (0, 0);

create table {{schema}}.approval_event (
  seq bigint primary key,
  approval text collate "C",
  event text not null
);

create index approval_event_approval on {{schema}}.approval_event (approval);

create table {{schema}}.approval_arguments (
  approval text collate "C" primary key,
  at timestamptz not null default now(),
  value text not null
);

-- Results of calls that wait until a person has read them.
create table {{schema}}.held_result (
  call text collate "C" primary key,
  at timestamptz not null default now(),
  value text not null
);
