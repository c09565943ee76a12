"""The store is tested on both databases."""

from tests.databases import database, database_url, postgresql_schema, sqlite_template

__all__ = ["database", "database_url", "postgresql_schema", "sqlite_template"]
