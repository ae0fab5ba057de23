export const TABS = ['translate', 'generate', 'tokenize', 'attention', 'understand', 'learn', 'machine'] as const;
export type Tab = typeof TABS[number];

export const isTab = (name: string): name is Tab => (TABS as readonly string[]).includes(name);
