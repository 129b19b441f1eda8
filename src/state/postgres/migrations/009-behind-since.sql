-- Since when changes may not have been told: set when another replica begins to speak for the session, until that one has
-- looked back. Whoever speaks next goes back as far.
alter table {{schema}}.mcp_session add column behind_since timestamptz;
