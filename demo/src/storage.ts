// What the page remembers between visits; where storage is refused (private windows, policies), it just forgets.

export function remembered(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // forgotten with the tab
  }
}
