create table gate.once_marks (
  mark text collate "C" not null,
  primary key (mark)
);
