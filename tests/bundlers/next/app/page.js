'use client';
import { useEffect, useState } from 'react';
import { loadModel } from 'webformer';

export default function Page() {
  const [text, setText] = useState('loading');
  useEffect(() => {
    const controller = new AbortController();
    (async () => {
      const model = await loadModel('models/en-fr/', { signal: controller.signal });
      setText(await model.translate('Where is the station?').text());
      model.dispose();
    })().catch((error) => controller.signal.aborted || setText(String(error)));
    return () => controller.abort();
  }, []);
  return <output>{text}</output>;
}
