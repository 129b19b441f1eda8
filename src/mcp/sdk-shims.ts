/** Stands in for the SDK's platform file in the bundle: the same exports without the JSON Schema validator nobody asks for. */
class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('No JSON Schema validator is bundled');
  }
}

// Importing node:process would open every stream it can name.
const { process } = globalThis;

export { DefaultJsonSchemaValidator, process };
