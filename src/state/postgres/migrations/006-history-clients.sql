-- Changes are listed by client: all clients are found by skipping from one to the next, then the changes of each.
create index history_edit_client on {{schema}}.history_edit (space, (client collate "C"), change) where client is not null;
