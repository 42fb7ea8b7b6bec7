/**
 * Signs a browser in as a person would. A session is of the name `localhost`, not of the address.
 * @param {import('playwright-core').Page} page @param {string} api @param {string} token
 */
export async function signIn(page, api, token) {
  await page.goto(`${api.replace('//127.0.0.1:', '//localhost:')}/`);
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('#main').waitFor({ timeout: 60_000 });
}
