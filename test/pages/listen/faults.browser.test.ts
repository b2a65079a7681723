import { expect, it } from 'vitest';
import { describeInBrowser, useBrowser } from './browser.js';
import { startListen } from './listen.js';

describeInBrowser('the fault plan', () => {
  const { open } = useBrowser();

  it('is changed while the receiver runs', async () => {
    const listen = await startListen(['--fault', 'status=500,type=page', '--seed', '7']);
    const page = await open(listen);
    await page.getByRole('button', { name: 'Faults 1' }).click();
    const dialog = page.getByRole('dialog', { name: 'Faults' });
    expect(await dialog.getByLabel('Fault 1').first().inputValue()).toBe('status=500,type=page');
    expect(await dialog.getByLabel('Seed').inputValue()).toBe('7');

    await dialog.getByRole('button', { name: 'First 3 fail' }).click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('status=418');
    await dialog.getByRole('button', { name: 'Move Fault 2 up' }).click();
    await dialog.getByRole('button', { name: 'Remove Fault 2' }).click();
    await dialog.getByText('Not applied yet').waitFor();
    expect((await listen.track('Before')).status).toBe(200);
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await dialog.getByText('Active').waitFor();
    expect((await listen.track('After')).status).toBe(418);

    await dialog.getByRole('button', { name: 'Remove Fault 1' }).click();
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await dialog.getByText('Active').waitFor();
    expect((await listen.track('Well again')).status).toBe(200);
  });

  it('shows what is wrong with a fault at its field, and keeps the plan that was', async () => {
    const listen = await startListen(['--fault', 'status=503']);
    const page = await open(listen);
    await page.keyboard.press('f');
    const dialog = page.getByRole('dialog', { name: 'Faults' });
    await dialog.getByRole('button', { name: 'Hang' }).click();
    await dialog.getByRole('textbox', { name: 'Fault 2' }).fill('stats=500');
    await page.keyboard.press('Enter');
    const alert = dialog.getByRole('alert');
    expect(await alert.innerText()).toMatch(
      /"stats" is not a part of a fault; did you mean status\?/,
    );
    const field = dialog.getByRole('textbox', { name: 'Fault 2' });
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await field.getAttribute('aria-describedby')).toBe(await alert.getAttribute('id'));
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    expect((await listen.track('As before')).status).toBe(503);
  });

  it('follows a change that was made elsewhere', async () => {
    const listen = await startListen();
    const [one, other] = [await open(listen), await open(listen)];
    await one.keyboard.press('f');
    await one.getByText('No faults').waitFor();
    await other.keyboard.press('f');
    await other.getByRole('button', { name: 'Delay' }).click();
    await other.getByRole('button', { name: 'Apply' }).click();
    await one.getByRole('textbox', { name: 'Fault 1' }).waitFor();
    expect(await one.getByRole('textbox', { name: 'Fault 1' }).inputValue()).toBe('delay=2s');
  });
});
