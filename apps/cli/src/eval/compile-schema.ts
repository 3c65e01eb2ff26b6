/**
 * Returns a function that says what is wrong with a value by a JSON Schema (2020-12 or draft-07), undefined when nothing is. Formats are
 * not checked.
 * @throws Error for a schema that is none.
 */
export async function compileSchema(
  schema: Readonly<Record<string, unknown>>,
): Promise<(value: unknown) => string | undefined> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true, logger: false });
  const { $schema: _, ...plain } = schema;
  const validate = ajv.compile(plain);
  return (value) => (validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'answer' }));
}
