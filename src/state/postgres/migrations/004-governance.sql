-- Leases: work that one replica does at a time. `fence` grows with every holder.
create table {{schema}}.lease (
  name text collate "C" primary key,
  holder text not null,
  fence bigint not null,
  until timestamptz not null
);

create sequence {{schema}}.lease_fence;
