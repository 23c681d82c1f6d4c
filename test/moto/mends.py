"""What stands between moto and a deployment or its roles, mended from outside. `known.ts` lists it."""

from fnmatch import fnmatchcase

from moto.dynamodb.responses import DynamoHandler
from moto.events.models import EventBus
from moto.events.responses import EventsHandler
from moto.iam.access_control import IAMPolicyStatement
from moto.secretsmanager.responses import SecretsManagerResponse


def mend():
    require_absent(EventBus, "physical_resource_id")
    EventBus.physical_resource_id = property(lambda bus: bus.name)
    for responses, resource_of in RESOURCES.items():
        require_absent(responses, "_determine_resource")
        responses._determine_resource = resource_of
    checked_by_moto = IAMPolicyStatement._check_conditions
    IAMPolicyStatement._check_conditions = lambda statement, values: (
        leading_keys_match(statement._statement["Condition"])
        if is_on_leading_keys(statement)
        else checked_by_moto(statement, values)
    )


def require_absent(owner, name):
    if hasattr(owner, name):
        raise SystemExit(f"moto has {owner.__name__}.{name} now; take its mend away.")


def arn(responses, service, name):
    return f"arn:aws:{service}:{responses.region}:{responses.current_account}:{name}"


LEADING_KEYS = "dynamodb:LeadingKeys"
# Partitions that the request under way writes; the server does one at a time.
partitions = []


def is_on_leading_keys(statement):
    operators = statement._statement.get("Condition") or {}
    return any(LEADING_KEYS in keys for keys in operators.values())


def leading_keys_match(condition):
    patterns = condition["ForAllValues:StringLike"][LEADING_KEYS]
    return all(any(fnmatchcase(partition, pattern) for pattern in patterns) for partition in partitions)


def table_resource(responses):
    asked = responses.body
    keys = [asked[name]["pk"]["S"] for name in ("Item", "Key") if name in asked]
    partitions[:] = keys
    # Of a batch or a transaction the first item's.
    if "RequestItems" in asked:
        return arn(responses, "dynamodb", f"table/{next(iter(asked['RequestItems']))}")
    if "TransactItems" in asked:
        (operation,) = asked["TransactItems"][0].values()
        return arn(responses, "dynamodb", f"table/{operation['TableName']}")
    index = f"/index/{asked['IndexName']}" if "IndexName" in asked else ""
    return arn(responses, "dynamodb", f"table/{asked.get('TableName', '*')}{index}")


def bus_resource(responses):
    entries = responses._get_param("Entries") or [{}]
    return arn(responses, "events", f"event-bus/{entries[0].get('EventBusName', 'default')}")


def secret_resource(responses):
    return responses._get_param("SecretId") or "*"


# moto judges calls of these services without their resource, and a statement for one resource then allows nothing.
RESOURCES = {DynamoHandler: table_resource, EventsHandler: bus_resource, SecretsManagerResponse: secret_resource}
