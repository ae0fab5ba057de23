import { loadModel } from './webformer/single-file.js';

let model;

/** Answers content scripts and pages of the extension: `await chrome.runtime.sendMessage('Where is the station?')`. */
chrome.runtime.onMessage.addListener((text, sender, answer) => {
  model ??= loadModel('models/en-fr/');
  model.then((loaded) => loaded.translate(text).text()).then(answer, (error) => answer(String(error)));
  return true; // the answer comes later
});
