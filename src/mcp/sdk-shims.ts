/** Replaces the SDK's platform file in the bundle: its exports without the JSON Schema validator, which is not used. */
class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('No JSON Schema validator is bundled');
  }
}

// Importing node:process would open every stream it can name.
const { process } = globalThis;

export { DefaultJsonSchemaValidator, process };
