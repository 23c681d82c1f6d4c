"""Resources of a stack that moto's CloudFormation does not know. Without them a reference to one fails the deployment."""

import json
import secrets

from moto.cloudformation.parsing import get_model_map
from moto.core.common_models import CloudFormationModel
from moto.secretsmanager.models import secretsmanager_backends

SECRET = "AWS::SecretsManager::Secret"


def add_unknown(types):
    """Called before moto looks for its models, which it does once. A type that moto knows is refused: it is no limit."""
    known = {model.cloudformation_type() for model in CloudFormationModel.__subclasses__()}
    for name in sorted(types):
        if name in known:
            raise SystemExit(f"moto's CloudFormation knows {name} now; take it off the list of its limits.")
        add_secret() if name == SECRET else add_named(name)
    get_model_map()


def add_named(type_name):
    """A resource that has a name and attributes in its stack, and is nowhere else."""

    class Named(CloudFormationModel):
        # moto sorts its models by the service in their module's name.
        __module__ = "moto.cloudformation.named"

        def __init__(self, name):
            self.physical_resource_id = name

        @staticmethod
        def cloudformation_name_type():
            return ""

        @staticmethod
        def cloudformation_type():
            return type_name

        def get_cfn_attribute(self, attribute_name):
            return f"{self.physical_resource_id}.{attribute_name}"

        @classmethod
        def create_from_cloudformation_json(cls, resource_name, cloudformation_json, account_id, region_name, **kwargs):
            return cls(resource_name)

        @classmethod
        def delete_from_cloudformation_json(cls, resource_name, cloudformation_json, account_id, region_name):
            pass


def add_secret():
    """A secret is there for its readers too."""

    class StackSecret(CloudFormationModel):
        __module__ = "moto.secretsmanager.stack"

        def __init__(self, arn):
            self.physical_resource_id = arn

        @staticmethod
        def cloudformation_name_type():
            return "Name"

        @staticmethod
        def cloudformation_type():
            return SECRET

        @classmethod
        def create_from_cloudformation_json(cls, resource_name, cloudformation_json, account_id, region_name, **kwargs):
            properties = cloudformation_json["Properties"]
            length = int(properties["GenerateSecretString"]["PasswordLength"])
            secret = secretsmanager_backends[account_id][region_name].create_secret(
                name=resource_name,
                secret_string=secrets.token_hex(length)[:length],
                secret_binary=None,
                description=properties.get("Description"),
                tags=properties.get("Tags"),
                kms_key_id=properties.get("KmsKeyId"),
                client_request_token=None,
                replica_regions=[],
                force_overwrite=False,
            )
            return cls(json.loads(secret)["ARN"])

        @classmethod
        def delete_from_cloudformation_json(cls, resource_name, cloudformation_json, account_id, region_name):
            secretsmanager_backends[account_id][region_name].delete_secret(
                resource_name, recovery_window_in_days=None, force_delete_without_recovery=True
            )
