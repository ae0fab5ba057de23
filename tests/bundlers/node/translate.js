import { loadModel } from 'webformer';

const [folder, ...texts] = process.argv.slice(2);
const model = await loadModel(folder);
for (const text of texts) console.log(await model.translate(text).text());
model.dispose();
