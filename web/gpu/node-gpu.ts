// WebGPU in node, which has none of its own: the package `webgpu` brings Dawn, where an application has it installed.

/** No literal, and marked by wasm/package.mjs, so that bundlers do not look for the package. */
const load = (name: string): Promise<unknown> => import(name);

export async function openNodeGpu(): Promise<GPU> {
  const { create } = (await load('webgpu')) as { create(options: string[]): GPU };
  return create([]);
}
