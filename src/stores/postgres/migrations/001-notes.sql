-- The position of the last change. Every change locks this row until it is committed, so positions become visible in
-- their order: who has seen one has seen all before it.
create table {{schema}}.head (
  single boolean primary key default true check (single),
  -- Names the notebook: a copy under another name, or one that was made anew, has another.
  notebook uuid not null default gen_random_uuid(),
  position bigint not null default 0
) with (fillfactor = 10);

insert into {{schema}}.head default values;

-- Paths sort by their bytes, so that a folder is a range of the index.
create table {{schema}}.note (
  path text collate "C" primary key,
  folder text collate "C" not null,
  content bigint not null,
  size integer not null,
  -- Milliseconds since 1970, and never twice the same for one path.
  modified bigint not null,
  version text collate "C" not null,
  -- The change that made the note, and the last one.
  created bigint not null,
  position bigint not null
);

create index note_folder on {{schema}}.note (folder);
create unique index note_position on {{schema}}.note (position);

-- Apart, so that a listing does not read past the texts.
create table {{schema}}.content (
  id bigint generated always as identity primary key,
  bytes bytea not null
);

-- Notes that were removed or moved away, for those who follow the changes.
create table {{schema}}.gone (
  path text collate "C" primary key,
  modified bigint not null,
  position bigint not null
);

create unique index gone_position on {{schema}}.gone (position);

create table {{schema}}.trash (
  path text collate "C" primary key,
  original text collate "C" not null,
  deleted bigint not null,
  content bigint not null,
  size integer not null,
  modified bigint not null,
  version text collate "C" not null
);

-- The answers of the last days: a change that is sent again after a lost connection is answered, not made again.
create table {{schema}}.attempt (
  id uuid primary key,
  position bigint not null,
  at timestamptz not null default now(),
  answer jsonb not null
);

create index attempt_at on {{schema}}.attempt (at);
create index attempt_position on {{schema}}.attempt (position);

create function {{schema}}.refuse(reason text, subject text) returns void language plpgsql as $$
begin
  raise exception using errcode = 'QU001', message = reason, detail = subject;
end
$$;

-- A name is that of a note or of a folder, not of both. `leaving` is a note that is about to go.
create function {{schema}}.assert_free(wanted text, above jsonb, leaving text) returns void language plpgsql as $$
declare
  taken text;
begin
  select path into taken from {{schema}}.note
    where path in (select jsonb_array_elements_text(above)) and path is distinct from leaving limit 1;
  if found then perform {{schema}}.refuse('not_a_folder', taken); end if;
  perform from {{schema}}.note
    where path >= wanted || '/' and path < wanted || '0' and path is distinct from leaving limit 1;
  if found then perform {{schema}}.refuse('is_a_folder', wanted); end if;
end
$$;

-- Puts a note into the trash, under a name with a number where its own is taken, or deletes it for good.
create function {{schema}}.discard(old {{schema}}.note, one jsonb, now_ms bigint) returns text language plpgsql as $$
declare
  stem text := one ->> 'trash';
  ending text := coalesce(one ->> 'extension', '');
  name text;
  copy integer := 0;
begin
  if stem is null then
    delete from {{schema}}.content where id = old.content;
    return null;
  end if;
  loop
    name := stem || case when copy = 0 then '' when copy < 50 then ' ' || copy else ' ' || now_ms + copy end || ending;
    insert into {{schema}}.trash (path, original, deleted, content, size, modified, version)
      values (name, old.path, now_ms, old.content, old.size, old.modified, old.version)
      on conflict do nothing;
    exit when found;
    copy := copy + 1;
  end loop;
  return name;
end
$$;

-- Makes all changes or none, and tells their answers in order, or why they were refused.
create function {{schema}}.change(attempt_id uuid, changes jsonb, contents bytea[]) returns jsonb language plpgsql as $$
declare
  place bigint;
  book uuid;
  answer jsonb;
  answers jsonb[] := '{}';
  one jsonb;
  ordinal bigint;
  old {{schema}}.note;
  target {{schema}}.note;
  lost {{schema}}.trash;
  put_content bigint;
  earlier bigint;
  now_ms bigint;
  trashed text;
  reason text;
  subject text;
begin
  select position, notebook into place, book from {{schema}}.head where single for update;
  select a.answer into answer from {{schema}}.attempt a where a.id = attempt_id;
  if found then return answer; end if;
  now_ms := floor(extract(epoch from clock_timestamp()) * 1000);
  begin
    for one, ordinal in select value, ordinality from jsonb_array_elements(changes) with ordinality loop
      trashed := null;
      -- In a copy of the note, from which the answer is made.
      select * into old from {{schema}}.note where path = one ->> 'path';
      case one ->> 'kind'
      when 'write' then
        if one ? 'ifVersion' then
          if one ->> 'ifVersion' is null and old.path is not null then
            perform {{schema}}.refuse('already_exists', one ->> 'path');
          elsif one ->> 'ifVersion' is not null and old.path is null then
            perform {{schema}}.refuse('not_found', one ->> 'path');
          elsif one ->> 'ifVersion' <> old.version then
            perform {{schema}}.refuse('conflict', one ->> 'path');
          end if;
        end if;
        place := place + 1;
        if old.path is null then
          perform {{schema}}.assert_free(one ->> 'path', one -> 'above', null);
          delete from {{schema}}.gone where path = one ->> 'path' returning modified into earlier;
          insert into {{schema}}.content (bytes) values (contents[ordinal]) returning id into put_content;
          insert into {{schema}}.note (path, folder, content, size, modified, version, created, position)
            values (one ->> 'path', one ->> 'folder', put_content, octet_length(contents[ordinal]),
              greatest(coalesce((one ->> 'modified')::bigint, now_ms), earlier + 1), one ->> 'version', place, place)
            returning * into old;
        else
          update {{schema}}.note set
              size = octet_length(contents[ordinal]), version = one ->> 'version', position = place,
              modified = greatest(coalesce((one ->> 'modified')::bigint, now_ms), modified + 1)
            where path = old.path and version = old.version returning * into old;
          -- Somebody changed the table by hand in this moment.
          if not found then perform {{schema}}.refuse('conflict', one ->> 'path'); end if;
          update {{schema}}.content set bytes = contents[ordinal] where id = old.content;
        end if;
      when 'remove' then
        if old.path is null then perform {{schema}}.refuse('not_found', one ->> 'path'); end if;
        if one ->> 'ifVersion' <> old.version then perform {{schema}}.refuse('conflict', one ->> 'path'); end if;
        delete from {{schema}}.note where path = old.path and version = old.version;
        if not found then perform {{schema}}.refuse('conflict', one ->> 'path'); end if;
        trashed := {{schema}}.discard(old, one, now_ms);
        place := place + 1;
        insert into {{schema}}.gone (path, modified, position) values (old.path, old.modified, place);
      when 'move' then
        if old.path is null then perform {{schema}}.refuse('not_found', one ->> 'path'); end if;
        if one ->> 'ifVersion' <> old.version then perform {{schema}}.refuse('conflict', one ->> 'path'); end if;
        if one ->> 'to' <> old.path then
          select * into target from {{schema}}.note where path = one ->> 'to';
          earlier := target.modified;
          if target.path is null then
            perform {{schema}}.assert_free(one ->> 'to', one -> 'above', old.path);
            delete from {{schema}}.gone where path = one ->> 'to' returning modified into earlier;
          elsif (one -> 'overwrite')::boolean then
            delete from {{schema}}.note where path = target.path;
            trashed := {{schema}}.discard(target, one, now_ms);
          else
            perform {{schema}}.refuse('target_exists', one ->> 'to');
          end if;
          delete from {{schema}}.note where path = old.path and version = old.version;
          if not found then perform {{schema}}.refuse('conflict', one ->> 'path'); end if;
          insert into {{schema}}.gone (path, modified, position) values (old.path, old.modified, place + 1);
          place := place + 2;
          insert into {{schema}}.note (path, folder, content, size, modified, version, created, position)
            values (one ->> 'to', one ->> 'folder', old.content, old.size, greatest(old.modified, earlier + 1),
              old.version, case when target.path is null then place else target.created end, place)
            returning * into old;
        end if;
      when 'restore' then
        select * into lost from {{schema}}.trash where path = one ->> 'trashed' and version = one ->> 'version';
        if not found then perform {{schema}}.refuse('not_trashed', one ->> 'trashed'); end if;
        if old.path is not null then perform {{schema}}.refuse('already_exists', one ->> 'path'); end if;
        perform {{schema}}.assert_free(one ->> 'path', one -> 'above', null);
        delete from {{schema}}.trash where path = lost.path;
        delete from {{schema}}.gone where path = one ->> 'path' returning modified into earlier;
        place := place + 1;
        insert into {{schema}}.note (path, folder, content, size, modified, version, created, position)
          values (one ->> 'path', one ->> 'folder', lost.content, lost.size, greatest(lost.modified, earlier + 1),
            lost.version, place, place)
          returning * into old;
      when 'purge' then
        select * into lost from {{schema}}.trash where path = one ->> 'trashed';
        if not found then perform {{schema}}.refuse('not_trashed', one ->> 'trashed'); end if;
        if lost.size <> (one -> 'size')::bigint or lost.modified <> (one -> 'modified')::bigint then
          perform {{schema}}.refuse('conflict', one ->> 'trashed');
        end if;
        delete from {{schema}}.trash where path = lost.path;
        delete from {{schema}}.content where id = lost.content;
      end case;
      answers := answers || jsonb_build_object(
        'path', old.path, 'size', old.size, 'modified', old.modified, 'version', old.version, 'trashedTo', trashed);
    end loop;
  exception when sqlstate 'QU001' then
    get stacked diagnostics reason = message_text, subject = pg_exception_detail;
    return jsonb_build_object('refused', reason, 'subject', subject);
  end;
  answer := jsonb_build_object('position', place, 'answers', to_jsonb(answers));
  update {{schema}}.head set position = place where single;
  insert into {{schema}}.attempt (id, position, answer) values (attempt_id, place, answer);
  delete from {{schema}}.attempt where id in (
    select a.id from {{schema}}.attempt a
      where a.at < now() - interval '2 days' and a.position < place - 1000 order by a.at limit 4);
  perform pg_notify('quire_notes_' || book, place::text);
  return answer;
end
$$;
