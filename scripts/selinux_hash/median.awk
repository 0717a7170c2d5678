# SPDX-License-Identifier: GPL-2.0-only
#
# Functions for the awk programs here that summarize measurements.

function sort(a, n,    i, j, x) {
	for (i = 2; i <= n; i++) {
		x = a[i]
		for (j = i - 1; j && a[j] > x; j--)
			a[j + 1] = a[j]
		a[j + 1] = x
	}
}

# The median of a[1] to a[n], which are sorted by that.
function middle(a, n) {
	sort(a, n)
	return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
}

# Of figure[KEY, 1] to figure[KEY, n], for range() and for whoever compares them.
function summarize(figure, key, n,    i, a) {
	for (i = 1; i <= n; i++)
		a[i] = figure[key, i]
	med[key] = middle(a, n)
	min[key] = a[1]
	max[key] = a[n]
}

function range(key, format) {
	return sprintf(format " (" format " to " format ")", med[key], min[key], max[key])
}
