-- A sandbox can have its own time, so the documents of its operations are claimed by partner.
create index concurrently leg_documents_of_partner on gate.leg_documents (kind, (body ->> 'partnerId'), due_at, id) where due_at is not null;
