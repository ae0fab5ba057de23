// Whether this engine has WebGPU of its own: asked before any of this folder's other code is fetched.

export const ownGpu = (): GPU | undefined => (globalThis as { navigator?: { gpu?: GPU } }).navigator?.gpu;
