// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rules of a binary SELinux policy, whatever their order in the file
 *
 * policy_rules FILE		prints how many there are, and a digest of them
 * policy_rules FILE1 FILE2	tells whether both have the same rules
 *
 * Exits with 0, or 1 if the rules are not the same, or 2 if it cannot tell.
 */

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sepol/policydb/policydb.h>
/* names a member bool, so that <stdbool.h> cannot be included here */
#include <sepol/policydb/conditional.h>
#include <sepol/policydb/util.h>

#include "policy_file.h"

/* So many differences are named, the others counted. */
#define DIFFERENCES_NAMED 10

enum kind {
	AV_RULE,
	CONDITIONAL_AV_RULE,
	ROLE_TRANSITION,
	ROLE_ALLOW,
	RANGE_TRANSITION,
	FILENAME_TRANSITION,
	KINDS
};

static const char * const kind_name[KINDS] = {
	[AV_RULE]		= "rules",
	[CONDITIONAL_AV_RULE]	= "conditional rules",
	[ROLE_TRANSITION]	= "role transitions",
	[ROLE_ALLOW]		= "role allows",
	[RANGE_TRANSITION]	= "range transitions",
	[FILENAME_TRANSITION]	= "filename transitions",
};

/* What tells two rules apart, as numbers, in the order to sort by. */
enum field {
	KIND,
	SOURCE,
	TARGET,
	CLASS,
	SPECIFIED,
	RESULT,		/* access vector, or the new type or role */
	DETAILS,	/* digest of extended permissions, range or file name */
	CONDITION,	/* digest of the expression and the branch */
	FIELDS
};

struct rule {
	unsigned long long field[FIELDS];
	/* where the last two come from, for a reader */
	const void *details;
	const cond_node_t *condition;
	int branch;
};

struct policy {
	const char *path;
	size_t size;
	policydb_t db;
	struct rule *rules;
	size_t count;
	size_t allocated;
	size_t count_of[KINDS];
};

static void *resize(void *array, size_t size)
{
	array = realloc(array, size);
	if (!array)
		errx(2, "out of memory");
	return array;
}

/* FNV-1a, fed with numbers from their lowest byte up. */
#define DIGEST_START 0xcbf29ce484222325ULL

static unsigned long long digest_bytes(unsigned long long digest,
				       const void *bytes, size_t len)
{
	const unsigned char *byte = bytes;

	while (len--)
		digest = (digest ^ *byte++) * 0x100000001b3ULL;
	return digest;
}

static unsigned long long digest_number(unsigned long long digest,
					unsigned long long number)
{
	unsigned char bytes[8];
	unsigned int i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = number >> (8 * i);
	return digest_bytes(digest, bytes, sizeof(bytes));
}

/* A new rule, all fields 0 but its kind. */
static struct rule *add_rule(struct policy *policy, enum kind kind)
{
	struct rule *rule;

	if (policy->count == policy->allocated) {
		policy->allocated = 2 * policy->allocated + 1024;
		policy->rules = resize(policy->rules, policy->allocated *
				       sizeof(*policy->rules));
	}
	rule = &policy->rules[policy->count++];
	memset(rule, 0, sizeof(*rule));
	rule->field[KIND] = kind;
	policy->count_of[kind]++;
	return rule;
}

static struct rule *add_av_rule(struct policy *policy, enum kind kind,
				const avtab_key_t *key,
				const avtab_datum_t *datum)
{
	struct rule *rule = add_rule(policy, kind);
	const avtab_extended_perms_t *xperms = datum->xperms;
	unsigned long long digest = DIGEST_START;
	unsigned int i;

	rule->field[SOURCE] = key->source_type;
	rule->field[TARGET] = key->target_type;
	rule->field[CLASS] = key->target_class;
	/* the kernel marks the conditional rules that are in force */
	rule->field[SPECIFIED] = key->specified & ~AVTAB_ENABLED;

	if (!(key->specified & AVTAB_XPERMS)) {
		rule->field[RESULT] = datum->data;
		return rule;
	}
	rule->details = xperms;
	digest = digest_number(digest, xperms->specified);
	digest = digest_number(digest, xperms->driver);
	for (i = 0; i < EXTENDED_PERMS_LEN; i++)
		digest = digest_number(digest, xperms->perms[i]);
	rule->field[DETAILS] = digest;
	return rule;
}

static int collect_av_rule(avtab_key_t *key, avtab_datum_t *datum, void *policy)
{
	add_av_rule(policy, AV_RULE, key, datum);
	return 0;
}

static void collect_branch(struct policy *policy, const cond_node_t *condition,
			   int branch)
{
	const cond_av_list_t *av = branch ? condition->true_list :
					    condition->false_list;
	unsigned long long digest = digest_number(DIGEST_START, branch);
	const cond_expr_t *expr;
	struct rule *rule;

	for (expr = condition->expr; expr; expr = expr->next) {
		digest = digest_number(digest, expr->expr_type);
		digest = digest_number(digest, expr->bool);
	}
	for (; av; av = av->next) {
		rule = add_av_rule(policy, CONDITIONAL_AV_RULE, &av->node->key,
				   &av->node->datum);
		rule->field[CONDITION] = digest;
		rule->condition = condition;
		rule->branch = branch;
	}
}

static void collect_role_rules(struct policy *policy)
{
	const role_trans_t *trans;
	const role_allow_t *allow;
	struct rule *rule;

	for (trans = policy->db.role_tr; trans; trans = trans->next) {
		rule = add_rule(policy, ROLE_TRANSITION);
		rule->field[SOURCE] = trans->role;
		rule->field[TARGET] = trans->type;
		rule->field[CLASS] = trans->tclass;
		rule->field[RESULT] = trans->new_role;
	}
	for (allow = policy->db.role_allow; allow; allow = allow->next) {
		rule = add_rule(policy, ROLE_ALLOW);
		rule->field[SOURCE] = allow->role;
		rule->field[RESULT] = allow->new_role;
	}
}

static int collect_range_transition(hashtab_key_t key, hashtab_datum_t datum,
				    void *policy)
{
	const range_trans_t *trans = (const range_trans_t *)key;
	struct rule *rule = add_rule(policy, RANGE_TRANSITION);
	const mls_range_t *range = datum;
	unsigned long long digest = DIGEST_START;
	ebitmap_node_t *node;
	unsigned int i, cat;

	rule->field[SOURCE] = trans->source_type;
	rule->field[TARGET] = trans->target_type;
	rule->field[CLASS] = trans->target_class;
	rule->details = range;

	for (i = 0; i < 2; i++) {
		digest = digest_number(digest, range->level[i].sens);
		ebitmap_for_each_positive_bit(&range->level[i].cat, node, cat)
			digest = digest_number(digest, cat);
	}
	rule->field[DETAILS] = digest;
	return 0;
}

static int collect_filename_transition(hashtab_key_t key, hashtab_datum_t datum,
				       void *policy)
{
	const filename_trans_key_t *trans = (const filename_trans_key_t *)key;
	const unsigned long long name =
		digest_bytes(DIGEST_START, trans->name, strlen(trans->name));
	const filename_trans_datum_t *result;
	ebitmap_node_t *node;
	unsigned int source;
	struct rule *rule;

	for (result = datum; result; result = result->next) {
		ebitmap_for_each_positive_bit(&result->stypes, node, source) {
			rule = add_rule(policy, FILENAME_TRANSITION);
			rule->field[SOURCE] = source + 1;
			rule->field[TARGET] = trans->ttype;
			rule->field[CLASS] = trans->tclass;
			rule->field[RESULT] = result->otype;
			rule->field[DETAILS] = name;
			rule->details = trans->name;
		}
	}
	return 0;
}

static int rule_cmp(const void *a, const void *b)
{
	const struct rule *left = a, *right = b;
	unsigned int i;

	for (i = 0; i < FIELDS; i++)
		if (left->field[i] != right->field[i])
			return left->field[i] < right->field[i] ? -1 : 1;
	return 0;
}

static void collect_rules(struct policy *policy)
{
	const cond_node_t *condition;
	policydb_t *db = &policy->db;

	avtab_map(&db->te_avtab, collect_av_rule, policy);
	for (condition = db->cond_list; condition;
	     condition = condition->next) {
		collect_branch(policy, condition, 1);
		collect_branch(policy, condition, 0);
	}
	collect_role_rules(policy);
	hashtab_map(db->range_tr, collect_range_transition, policy);
	hashtab_map(db->filename_trans, collect_filename_transition, policy);

	if (policy->count)
		qsort(policy->rules, policy->count, sizeof(*policy->rules),
		      rule_cmp);
}

static void read_policy(struct policy *policy, const char *path)
{
	memset(policy, 0, sizeof(*policy));
	policy->path = path;
	policy_file_read(&policy->db, path, &policy->size);
	collect_rules(policy);
}

static void print_summary(const struct policy *policy)
{
	unsigned long long digest = DIGEST_START;
	unsigned int kind, field;
	size_t i;

	printf("size: %zu bytes\n", policy->size);
	for (kind = 0; kind < KINDS; kind++)
		printf("%s: %zu\n", kind_name[kind], policy->count_of[kind]);
	for (i = 0; i < policy->count; i++)
		for (field = 0; field < FIELDS; field++)
			digest = digest_number(digest,
					       policy->rules[i].field[field]);
	printf("digest: %016llx\n", digest);
}

static const char *name_of(const policydb_t *db, unsigned int table,
			   unsigned long long value)
{
	const char *name = NULL;

	if (value && value <= db->symtab[table].nprim)
		name = db->sym_val_to_name[table][value - 1];
	return name ? name : "?";
}

static void print_level(const policydb_t *db, const mls_level_t *level)
{
	ebitmap_node_t *node;
	const char *before = ":";
	unsigned int cat;

	printf("%s", name_of(db, SYM_LEVELS, level->sens));
	ebitmap_for_each_positive_bit(&level->cat, node, cat) {
		printf("%s%s", before, name_of(db, SYM_CATS, cat + 1));
		before = ",";
	}
}

/* In the order of the file, which is reverse Polish. */
static void print_condition(const policydb_t *db, const struct rule *rule)
{
	static const char * const operator[] = {
		[COND_NOT] = "!", [COND_OR] = "||", [COND_AND] = "&&",
		[COND_XOR] = "^", [COND_EQ] = "==", [COND_NEQ] = "!=",
	};
	const cond_expr_t *expr;

	printf(" [");
	for (expr = rule->condition->expr; expr; expr = expr->next)
		printf(" %s", expr->expr_type == COND_BOOL ?
			      name_of(db, SYM_BOOLS, expr->bool) :
			      operator[expr->expr_type]);
	printf(" ]:%s", rule->branch ? "true" : "false");
}

static const char *av_rule_name(unsigned long long specified)
{
	switch (specified) {
	case AVTAB_ALLOWED:
		return "allow";
	case AVTAB_AUDITALLOW:
		return "auditallow";
	case AVTAB_AUDITDENY:
		return "dontaudit";
	case AVTAB_TRANSITION:
		return "type_transition";
	case AVTAB_MEMBER:
		return "type_member";
	case AVTAB_CHANGE:
		return "type_change";
	case AVTAB_XPERMS_ALLOWED:
		return "allowxperm";
	case AVTAB_XPERMS_AUDITALLOW:
		return "auditallowxperm";
	case AVTAB_XPERMS_DONTAUDIT:
		return "dontauditxperm";
	default:
		return "?";
	}
}

static void print_types_and_class(const policydb_t *db, const struct rule *rule)
{
	printf(" %s %s:%s ", name_of(db, SYM_TYPES, rule->field[SOURCE]),
	       name_of(db, SYM_TYPES, rule->field[TARGET]),
	       name_of(db, SYM_CLASSES, rule->field[CLASS]));
}

static void print_av_rule(policydb_t *db, const struct rule *rule)
{
	avtab_extended_perms_t xperms;
	sepol_access_vector_t av = rule->field[RESULT];

	printf("%s", av_rule_name(rule->field[SPECIFIED]));
	print_types_and_class(db, rule);

	if (rule->field[SPECIFIED] & AVTAB_XPERMS) {
		xperms = *(const avtab_extended_perms_t *)rule->details;
		printf("%s", sepol_extended_perms_to_string(&xperms) ?: "?");
	} else if (rule->field[SPECIFIED] & AVTAB_TYPE) {
		printf("%s", name_of(db, SYM_TYPES, av));
	} else {
		/* it has what is audited, a rule what is not */
		if (rule->field[SPECIFIED] == AVTAB_AUDITDENY)
			av = ~av;
		printf("{%s }", sepol_av_to_string(db, rule->field[CLASS],
						   av) ?: " ?");
	}
	if (rule->condition)
		print_condition(db, rule);
}

static void print_rule(policydb_t *db, const struct rule *rule)
{
	const mls_range_t *range = rule->details;

	switch (rule->field[KIND]) {
	case ROLE_TRANSITION:
		printf("role_transition %s %s:%s %s",
		       name_of(db, SYM_ROLES, rule->field[SOURCE]),
		       name_of(db, SYM_TYPES, rule->field[TARGET]),
		       name_of(db, SYM_CLASSES, rule->field[CLASS]),
		       name_of(db, SYM_ROLES, rule->field[RESULT]));
		break;
	case ROLE_ALLOW:
		printf("allow %s %s",
		       name_of(db, SYM_ROLES, rule->field[SOURCE]),
		       name_of(db, SYM_ROLES, rule->field[RESULT]));
		break;
	case RANGE_TRANSITION:
		printf("range_transition");
		print_types_and_class(db, rule);
		print_level(db, &range->level[0]);
		printf(" - ");
		print_level(db, &range->level[1]);
		break;
	case FILENAME_TRANSITION:
		printf("type_transition");
		print_types_and_class(db, rule);
		printf("%s \"%s\"", name_of(db, SYM_TYPES, rule->field[RESULT]),
		       (const char *)rule->details);
		break;
	default:
		print_av_rule(db, rule);
	}
	printf(";\n");
}

/*
 * Rules are compared by the numbers of their types, classes and so on, which
 * mean the same in both policies if the names of all numbers are the same.
 */
static int print_number_difference(const struct policy *a,
				   const struct policy *b)
{
	static const char * const table_name[SYM_NUM] = {
		[SYM_COMMONS] = "common", [SYM_CLASSES] = "class",
		[SYM_ROLES] = "role", [SYM_TYPES] = "type",
		[SYM_USERS] = "user", [SYM_BOOLS] = "boolean",
		[SYM_LEVELS] = "sensitivity", [SYM_CATS] = "category",
	};
	unsigned long long value, values;
	unsigned int table;

	for (table = 0; table < SYM_NUM; table++) {
		values = a->db.symtab[table].nprim;
		if (values < b->db.symtab[table].nprim)
			values = b->db.symtab[table].nprim;
		for (value = 1; value <= values; value++) {
			const char *name_a = name_of(&a->db, table, value);
			const char *name_b = name_of(&b->db, table, value);

			if (!strcmp(name_a, name_b))
				continue;
			printf("%s %llu is %s in %s, %s in %s\n",
			       table_name[table], value, name_a, a->path,
			       name_b, b->path);
			return 1;
		}
	}
	return 0;
}

static void print_difference(struct policy *policy, const struct rule *rule,
			     size_t differences)
{
	if (differences >= DIFFERENCES_NAMED)
		return;
	printf("only in %s: ", policy->path);
	print_rule(&policy->db, rule);
}

static int print_rule_differences(struct policy *a, struct policy *b)
{
	size_t i = 0, j = 0, differences = 0;
	int cmp;

	while (i < a->count || j < b->count) {
		if (i == a->count)
			cmp = 1;
		else if (j == b->count)
			cmp = -1;
		else
			cmp = rule_cmp(&a->rules[i], &b->rules[j]);

		if (cmp < 0)
			print_difference(a, &a->rules[i], differences++);
		else if (cmp > 0)
			print_difference(b, &b->rules[j], differences++);
		i += cmp <= 0;
		j += cmp >= 0;
	}
	if (differences)
		printf("%zu rules are only in one of them\n", differences);
	return differences != 0;
}

int main(int argc, char **argv)
{
	static struct policy a, b;

	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: policy_rules FILE [FILE]\n");
		return 2;
	}
	read_policy(&a, argv[1]);
	if (argc == 2) {
		print_summary(&a);
		return 0;
	}
	read_policy(&b, argv[2]);
	if (print_number_difference(&a, &b) || print_rule_differences(&a, &b))
		return 1;
	printf("the same %zu rules\n", a.count);
	return 0;
}
