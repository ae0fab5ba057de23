export const sourceOf = (name) => name;
