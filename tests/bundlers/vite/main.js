import { loadModel } from 'webformer';

const model = await loadModel('models/en-fr/');
document.querySelector('output').value = await model.translate('Where is the station?').text();
