-- The last append of every process. One that is sent again after a lost connection is known by its number.
create table {{schema}}.chain_writer (
  writer uuid primary key,
  number bigint not null,
  chain integer not null,
  seq bigint not null,
  hash text not null,
  at timestamptz not null default now()
);

create index chain_writer_at on {{schema}}.chain_writer (at);

-- Adds lines to the current chain of that name, once however often it is sent. `bodies` are the members of JSON objects;
-- number, time and the hash of the line before are put around them. Nothing is added when there are more lines after
-- `known_seq` than `most_unseen`, or the chain is another one than `known_chain`. `lines` are those after `known_seq` since
-- a time, the added ones with them; none without a `known_seq`.
create function {{schema}}.chain_add(
  chain_name text, bodies text[], writer_id uuid, append_number bigint,
  known_chain integer, known_seq bigint, since bigint, most_unseen bigint, given_time text
)
returns table (chain integer, is_added boolean, seq bigint, hash text, noted_seq bigint, bytes bigint, lines text[])
language plpgsql as $$
declare
  head {{schema}}.chain;
  done {{schema}}.chain_writer;
  body text;
  line text;
  moment timestamptz;
  shown text;
begin
  select c.* into head from {{schema}}.chain c where c.name = chain_name and c.kept_as is null for update;
  if not found then
    insert into {{schema}}.chain (name) values (chain_name) on conflict do nothing;
    select c.* into head from {{schema}}.chain c where c.name = chain_name and c.kept_as is null for update;
  end if;
  select w.* into done from {{schema}}.chain_writer w where w.writer = writer_id;
  if found and done.number >= append_number then
    select array_agg(l.line order by l.seq) into lines from {{schema}}.chain_line l
      where l.chain = done.chain and l.seq > known_seq and l.seq <= done.seq and l.at >= since;
    return query select done.chain, true, done.seq, done.hash, head.noted_seq, head.bytes, lines;
    return;
  end if;
  if known_chain <> head.id then
    return query select head.id, false, head.seq, head.hash, head.noted_seq, head.bytes, null::text[];
    return;
  end if;
  if head.seq > known_seq then
    select array_agg(l.line order by l.seq) into lines from {{schema}}.chain_line l
      where l.chain = head.id and l.seq > known_seq and l.at >= since;
    if head.seq - known_seq > most_unseen then
      return query select head.id, false, head.seq, head.hash, head.noted_seq, head.bytes, lines;
      return;
    end if;
  end if;
  moment := coalesce(given_time::timestamptz, clock_timestamp());
  shown := to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
  foreach body in array bodies loop
    head.seq := head.seq + 1;
    line := '{"seq":' || head.seq || ',"time":"' || shown || '",' || body || ',"prev":"' || head.hash || '"}';
    head.hash := encode(sha256(convert_to(line, 'UTF8')), 'hex');
    head.bytes := head.bytes + octet_length(line) + 1;
    insert into {{schema}}.chain_line (chain, seq, at, line)
      values (head.id, head.seq, floor(extract(epoch from moment) * 1000), line);
    if known_seq is not null then
      lines := lines || line;
    end if;
  end loop;
  update {{schema}}.chain c set seq = head.seq, hash = head.hash, bytes = head.bytes where c.id = head.id;
  if writer_id is not null then
    insert into {{schema}}.chain_writer as w (writer, number, chain, seq, hash)
      values (writer_id, append_number, head.id, head.seq, head.hash)
      on conflict (writer) do update
        set number = excluded.number, chain = excluded.chain, seq = excluded.seq, hash = excluded.hash, at = now();
  end if;
  return query select head.id, true, head.seq, head.hash, head.noted_seq, head.bytes, lines;
end
$$;
