-- A sandbox may have its own time: the documents of its operations are found by their partner.

create index leg_documents_of_partner on leg_documents (kind, body ->> 'partnerId', due_at, id) where due_at is not null;
