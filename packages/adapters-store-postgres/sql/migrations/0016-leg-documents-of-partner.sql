-- A sandbox may have its own time: the documents of its operations are found by their partner.
create index concurrently leg_documents_of_partner on gate.leg_documents (kind, (body ->> 'partnerId'), due_at, id) where due_at is not null;
