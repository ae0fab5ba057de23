/** Compiles a part of the module that is kept as base64 of gzip. */
export async function compilePacked(base64: string): Promise<WebAssembly.Module> {
  const packed = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}
