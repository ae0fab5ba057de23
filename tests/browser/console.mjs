// What a console may say in the tests of this folder.

/** Chromium's own words to a page that asks for a GPU where there is none. */
export const NO_GPU = 'No available adapters.';
