// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC1967} from "@openzeppelin/contracts/interfaces/IERC1967.sol";
import {ERC1967Utils} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Utils.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";
import {ISwarmCoordinator} from "../src/interfaces/ISwarmCoordinator.sol";
import {SwarmCoordinator} from "../src/SwarmCoordinator.sol";
import {CoordinatorFixture} from "./CoordinatorFixture.sol";

/// @dev Roles, bootnodes and upgrades.
contract CoordinatorPowersTest is CoordinatorFixture {
    function test_TheOwnerHoldsEveryRoleAtFirst() public view {
        vm.assertTrue(coordinator.hasRole(keccak256("OWNER_ROLE"), address(this)));
        vm.assertTrue(coordinator.hasRole(keccak256("STAGE_MANAGER_ROLE"), address(this)));
        vm.assertTrue(coordinator.hasRole(keccak256("BOOTNODE_MANAGER_ROLE"), address(this)));
        vm.assertFalse(coordinator.hasRole(keccak256("OWNER_ROLE"), ALICE));
        vm.assertEq(coordinator.OWNER_ROLE(), keccak256("OWNER_ROLE"));
        vm.assertEq(coordinator.STAGE_MANAGER_ROLE(), keccak256("STAGE_MANAGER_ROLE"));
        vm.assertEq(coordinator.BOOTNODE_MANAGER_ROLE(), keccak256("BOOTNODE_MANAGER_ROLE"));
    }

    function test_GrantsAndRevokesRolesAndSaysSoEachTime() public {
        bytes32 role = keccak256("STAGE_MANAGER_ROLE");
        for (uint256 i = 0; i < 2; ++i) {
            vm.expectEmit(address(coordinator));
            emit ISwarmCoordinator.RoleGranted(role, ALICE, address(this));
            coordinator.grantRole(role, ALICE);
        }
        vm.prank(ALICE);
        coordinator.updateStageAndRound();
        for (uint256 i = 0; i < 2; ++i) {
            vm.expectEmit(address(coordinator));
            emit ISwarmCoordinator.RoleRevoked(role, ALICE, address(this));
            coordinator.revokeRole(role, ALICE);
        }
        vm.assertFalse(coordinator.hasRole(role, ALICE));
        expectError(ISwarmCoordinator.OnlyStageManager.selector);
        vm.prank(ALICE);
        coordinator.updateStageAndRound();
    }

    function test_RevertWhen_AnyoneElseChangesRoles() public {
        bytes32 role = coordinator.OWNER_ROLE();
        coordinator.grantRole(keccak256("STAGE_MANAGER_ROLE"), ALICE);
        expectError(ISwarmCoordinator.OnlyOwner.selector);
        vm.prank(ALICE);
        coordinator.grantRole(role, ALICE);
        expectError(ISwarmCoordinator.OnlyOwner.selector);
        vm.prank(ALICE);
        coordinator.revokeRole(role, address(this));
    }

    function test_KeepsBootnodes() public {
        vm.expectEmit(address(coordinator));
        emit ISwarmCoordinator.BootnodesAdded(address(this), 2);
        coordinator.addBootnodes(list("a", "b"));
        coordinator.addBootnodes(list("c"));
        vm.assertEq(coordinator.getBootnodesCount(), 3);
        vm.expectEmit(address(coordinator));
        emit ISwarmCoordinator.BootnodeRemoved(address(this), 0);
        coordinator.removeBootnode(0);
        vm.assertEq(coordinator.getBootnodes()[0], "c");
        vm.assertEq(coordinator.getBootnodes()[1], "b");
        coordinator.removeBootnode(1);
        vm.assertEq(coordinator.getBootnodesCount(), 1);
        vm.assertEq(coordinator.getBootnodes()[0], "c");
        vm.expectEmit(address(coordinator));
        emit ISwarmCoordinator.AllBootnodesCleared(address(this));
        coordinator.clearBootnodes();
        vm.assertEq(coordinator.getBootnodes().length, 0);
    }

    function test_RevertWhen_ABootnodeIsNotThere() public {
        expectError(ISwarmCoordinator.InvalidBootnodeIndex.selector);
        coordinator.removeBootnode(0);
        coordinator.addBootnodes(list("a"));
        expectError(ISwarmCoordinator.InvalidBootnodeIndex.selector);
        coordinator.removeBootnode(1);
    }

    function test_RevertWhen_BootnodesAreChangedWithoutTheRole() public {
        coordinator.revokeRole(coordinator.BOOTNODE_MANAGER_ROLE(), address(this));
        expectError(ISwarmCoordinator.OnlyBootnodeManager.selector);
        coordinator.addBootnodes(list("a"));
        // The role goes before the index.
        expectError(ISwarmCoordinator.OnlyBootnodeManager.selector);
        coordinator.removeBootnode(7);
        expectError(ISwarmCoordinator.OnlyBootnodeManager.selector);
        coordinator.clearBootnodes();
    }

    function test_TheOwnerUpgradesAndClaimsStay() public {
        claim(ALICE, "one");
        SwarmCoordinator next = new SwarmCoordinator(registry, rounds);
        expectError(ISwarmCoordinator.OnlyOwner.selector);
        vm.prank(ALICE);
        coordinator.upgradeToAndCall(address(next), "");
        vm.expectEmit(address(coordinator));
        emit IERC1967.Upgraded(address(next));
        coordinator.upgradeToAndCall(address(next), "");
        vm.assertEq(eoaOf("one"), ALICE);
    }

    function test_RevertWhen_UpgradedToWhatIsNoCoordinator() public {
        expectError(UUPSUpgradeable.UUPSUnauthorizedCallContext.selector);
        implementation.upgradeToAndCall(address(implementation), "");
        vm.expectRevert(abi.encodeWithSelector(ERC1967Utils.ERC1967InvalidImplementation.selector, address(registry)));
        coordinator.upgradeToAndCall(address(registry), "");
    }
}
