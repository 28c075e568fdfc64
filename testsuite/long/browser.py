# browser.py - headless Chromium for tests of pages.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Needs Debian's chromium, chromium-driver and python3-selenium (the system's python3).
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service


def browser(width, height, scale=1):
    options = Options()
    for a in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
              "--hide-scrollbars", f"--window-size={width},{height}",
              f"--force-device-scale-factor={scale}", f"--user-data-dir={tempfile.mkdtemp()}"):
        options.add_argument(a)
    options.binary_location = "/usr/bin/chromium"
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    d = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    d.set_window_size(width, height)
    return d
