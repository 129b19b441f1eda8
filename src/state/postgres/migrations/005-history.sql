-- The history of notes: edits with their texts, and proposals that wait for a person. Times are microseconds since 1970
-- by the database's clock, so that all replicas have one order.

-- A set of notes; all replicas and notebooks that serve them share its history.
create table {{schema}}.history_space (
  id integer generated always as identity primary key,
  name text not null unique
);

-- One row for each edit, with all about its change: most changes have one.
create table {{schema}}.history_edit (
  space integer not null,
  change text collate "C" not null,
  n integer not null,
  change_group text collate "C" not null,
  at bigint not null,
  begun bigint not null,
  notebook text not null,
  tool text not null,
  principal text collate "C",
  client text,
  session text collate "C",
  undoes text[],
  accepted_by text,
  kind text not null,
  path text collate "C" not null,
  to_path text collate "C",
  before bytea,
  after bytea,
  replaced bytea,
  mode integer,
  form text,
  part text,
  title text,
  -- Null for one that was made, and for one that is open: that is in history_open.
  state text,
  trashed_to text,
  made_folder text,
  outcome text,
  primary key (space, change, n)
-- Some room, so that the end of an edit does not touch the indexes.
) with (fillfactor = 90);

create index history_edit_path on {{schema}}.history_edit (space, path, change);
create index history_edit_to on {{schema}}.history_edit (space, to_path, change) where to_path is not null;
create index history_edit_group on {{schema}}.history_edit (space, change_group, change);
create index history_edit_principal on {{schema}}.history_edit (space, principal, change) where principal is not null;
create index history_edit_session on {{schema}}.history_edit (space, session, change) where session is not null;

-- Edits that are begun; a replica keeps `until` in the future while it lives.
create table {{schema}}.history_open (
  space integer not null,
  change text collate "C" not null,
  n integer not null,
  writer text not null,
  until bigint not null,
  primary key (space, change, n)
);

create index history_open_writer on {{schema}}.history_open (writer);

-- Each text once, by the hash of its bytes. Data as long as the text is the text itself, else it is deflated.
create table {{schema}}.history_text (
  space integer not null,
  hash bytea not null,
  size integer not null,
  data bytea not null,
  bytes integer not null,
  -- When an edit named it last, give or take some minutes.
  named_at bigint not null,
  primary key (space, hash)
);

alter table {{schema}}.history_text alter column data set storage external;
create index history_text_named on {{schema}}.history_text (space, named_at) include (bytes);

-- Which change undid which.
create table {{schema}}.history_undoing (
  space integer not null,
  undone text collate "C" not null,
  by_change text collate "C" not null,
  primary key (space, undone, by_change)
);

create index history_undoing_by on {{schema}}.history_undoing (space, by_change);

-- The present group of each author.
create table {{schema}}.history_author (
  space integer not null,
  author bytea not null,
  change_group text collate "C" not null,
  last bigint not null,
  primary key (space, author)
);

create index history_author_last on {{schema}}.history_author (space, last);

create table {{schema}}.history_proposal (
  space integer not null,
  id text collate "C" not null,
  is_waiting boolean not null,
  bytes integer not null,
  value text not null,
  -- Of the last change of it, in one order for all.
  stamp bigint not null,
  primary key (space, id)
);

create index history_proposal_waiting on {{schema}}.history_proposal (space, id) include (bytes) where is_waiting;
create index history_proposal_stamp on {{schema}}.history_proposal (space, stamp);
create sequence {{schema}}.history_stamp;

create table {{schema}}.history_proposal_text (
  space integer not null,
  proposal text collate "C" not null,
  hash text not null,
  data bytea not null,
  primary key (space, proposal, hash)
);

-- Ten letters for the milliseconds, two for the rest, and `tail`: ids sort by time.
create function {{schema}}.history_id(at bigint, tail text) returns text language sql immutable as $$
  select string_agg(
    substr('0123456789abcdefghjkmnpqrstvwxyz', ((((at / 1000) << 10 | (at % 1000)) >> (55 - 5 * i)) & 31)::integer + 1, 1),
    '' order by i) || tail
  from generate_series(0, 11) as i
$$;
