import { fromSection } from './requirement.ts';

/** Section 7. */
export const SQL = fromSection('control-plane §7', {
  'sql.rows': 'POST /v1/sql answers an array of row objects, keys in column order.',
  'sql.tables': 'logs and billing have the columns of the contract.',
  'sql.dialect': "What users of a cloud log warehouse type works beside the engine's own dialect.",
  'sql.own-rows': "Both tables hold the caller's own rows only.",
  'sql.errors': 'One SELECT or WITH only; errors of the engine are 422 at body.query, in its own words.',
  'sql.memory':
    'A query that asks for more memory than it may have is 422 with the limit, and the next one is answered.',
  'sql.sandbox': 'A query reads no files, settings or catalogs, and writes nothing.',
});
