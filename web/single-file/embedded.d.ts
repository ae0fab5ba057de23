/** A text that wasm/single-file.mjs puts here: the script of the worker, or a part of the module as base64 of gzip. */
declare module 'embedded:*' {
  const text: string;
  export default text;
}
