// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ITaskFaults} from "../src/interfaces/ITaskFaults.sol";
import {ITaskProposals} from "../src/interfaces/ITaskProposals.sol";
import {StakesFixture} from "./StakesFixture.sol";

/// @dev In round 4 the second solver, which stakes, commits to its secret for round 6.
contract TaskFaultsTest is StakesFixture {
    bytes32 internal constant SECRET = keccak256("secret");

    bytes32 internal proposer;
    address internal account;

    function setUp() public override {
        super.setUp();
        proposer = solvers[1];
        account = registry.accountOf(proposer);
        stakeFor(PROPOSER, proposer);
        keepSecret(6);
    }

    function test_SlashesForAWithheldSecret() public {
        enterRound(5);
        enterRound(6);
        uint256 supply = nectar.totalSupply();
        vm.expectEmit(address(openings));
        emit ITaskFaults.SecretWithheld(6, proposer, 0.5 ether, address(this));
        vm.assertEq(openings.challengeSecret(6, proposer), 0.5 ether);
        vm.assertEq(openings.SECRET_FAULT_MILLI(), 10);
        vm.assertEq(amountOf(PROPOSER, proposer), 49.5 ether);
        vm.assertEq(nectar.totalSupply(), supply - 0.5 ether);
        vm.assertTrue(stakes.mayPropose(proposer, 7));
    }

    function test_RevertWhen_ShownTwice() public {
        enterRound(5);
        enterRound(6);
        openings.challengeSecret(6, proposer);
        expectNothingWithheld();
        openings.challengeSecret(6, proposer);
    }

    function test_RevertWhen_ItsRoundHasNotBegun() public {
        enterRound(5);
        expectNothingWithheld();
        openings.challengeSecret(6, proposer);
    }

    function test_RevertWhen_ItProposed() public {
        enterRound(5);
        vm.prank(account);
        commitments.propose(6, proposer, SECRET, 1, "a task", 0);
        enterRound(6);
        expectNothingWithheld();
        openings.challengeSecret(6, proposer);
    }

    function test_RevertWhen_ItCommittedToNone() public {
        enterRound(5);
        enterRound(6);
        vm.expectRevert(abi.encodeWithSelector(ITaskFaults.Openings_NothingWithheld.selector, 6, solvers[0]));
        openings.challengeSecret(6, solvers[0]);
    }

    /// @dev Without the beacon of round 4 it could not sample.
    function test_RevertWhen_TheBeaconIsVoid() public {
        enterRound(6);
        expectNothingWithheld();
        openings.challengeSecret(6, proposer);
    }

    function test_NoticeDoesNotHelp() public {
        unstakeAs(account, PROPOSER, proposer);
        enterRound(5);
        enterRound(6);
        vm.assertEq(openings.challengeSecret(6, proposer), 0.5 ether);
    }

    /// @dev It knows what it would have to propose.
    function test_NoticeAfterTheBeaconDoesNotHelp() public {
        enterRound(5);
        unstakeAs(account, PROPOSER, proposer);
        enterRound(6);
        vm.assertEq(openings.challengeSecret(6, proposer), 0.5 ether);
    }

    function test_WhoLeavesMayShowWhatItCommittedToAndOwesNoMore() public {
        unstakeAs(account, PROPOSER, proposer);
        enterRound(5);
        vm.prank(account);
        commitments.propose(6, proposer, SECRET, 1, "a task", keccak256(abi.encode(SECRET)));
        // The next secret, which a peer sends with every proposal, is left out.
        (bool isKept, ) = commitments.secretOf(7, proposer);
        vm.assertFalse(isKept);
        enterRound(6);
        vm.expectRevert(abi.encodeWithSelector(ITaskProposals.RolloutCommitments_NotTheSecret.selector, 7, proposer));
        vm.prank(account);
        commitments.propose(7, proposer, SECRET, 1, "a task", 0);
        enterRound(7);
        vm.expectRevert(abi.encodeWithSelector(ITaskFaults.Openings_NothingWithheld.selector, 7, proposer));
        openings.challengeSecret(7, proposer);
    }

    /// @dev Else it would read its tasks without a duty, and take the notice back for those that it likes.
    function test_RevertWhen_WhoseDutyEndedCommitsToASecret() public {
        unstakeAs(account, PROPOSER, proposer);
        keepSecret(6);
        enterRound(5);
        vm.expectRevert(abi.encodeWithSelector(ITaskProposals.RolloutCommitments_NoStake.selector, 7, proposer));
        keepSecret(7);
        stakeAs(account, PROPOSER, proposer);
        keepSecret(7);
    }

    function test_RevertWhen_WhoHasNoStakeCommitsToASecret() public {
        bytes32 newcomer = solvers[2];
        account = afford(PROPOSER, newcomer);
        proposer = newcomer;
        vm.expectRevert(abi.encodeWithSelector(ITaskProposals.RolloutCommitments_NoStake.selector, 6, newcomer));
        keepSecret(6);
        enterRound(5);
        stakeAs(account, PROPOSER, newcomer);
        vm.expectRevert(abi.encodeWithSelector(ITaskProposals.RolloutCommitments_NotTheSecret.selector, 6, newcomer));
        vm.prank(account);
        commitments.propose(6, newcomer, SECRET, 1, "a task", 0);
    }

    function test_AStakeThatComesBackIsNotBlamedForTheTimeAway() public {
        unstakeAs(account, PROPOSER, proposer);
        enterRound(5);
        vm.prank(account);
        commitments.propose(6, proposer, SECRET, 1, "a task", keccak256(abi.encode(SECRET)));
        enterRound(6);
        enterRound(7);
        stakeAs(account, PROPOSER, proposer);
        vm.expectRevert(abi.encodeWithSelector(ITaskFaults.Openings_NothingWithheld.selector, 7, proposer));
        openings.challengeSecret(7, proposer);
    }

    function test_ASecretIsOwedAlsoByWhoLostItsStakeMeanwhile() public {
        slash(PROPOSER, proposer, 600);
        enterRound(5);
        enterRound(6);
        vm.assertFalse(stakes.mayPropose(proposer, 6));
        vm.assertEq(openings.challengeSecret(6, proposer), 0.5 ether);
    }

    function test_WhoLostItsStakeMayShowWhatItCommittedTo() public {
        slash(PROPOSER, proposer, 600);
        enterRound(5);
        vm.prank(account);
        commitments.propose(6, proposer, SECRET, 1, "a task", keccak256(abi.encode(SECRET)));
        (bool isKept, ) = commitments.secretOf(7, proposer);
        vm.assertFalse(isKept);
    }

    function test_RevertWhen_TheRoundIsOneOfTheFirstTwo() public {
        for (uint64 round = 0; round < 2; ++round) {
            vm.expectRevert(abi.encodeWithSelector(ITaskFaults.Openings_NothingWithheld.selector, round, proposer));
            openings.challengeSecret(round, proposer);
        }
    }

    /// @dev Until the secret of the round that takes its place in the ring.
    function test_IsKnownForEightRounds() public {
        enterRound(5);
        vm.warp(rounds.startOf(12));
        keepSecret(14);
        expectNothingWithheld();
        openings.challengeSecret(6, proposer);
    }

    function keepSecret(uint64 round) internal {
        vm.prank(account);
        commitments.commitSecret(round, proposer, keccak256(abi.encode(SECRET)));
    }

    function expectNothingWithheld() internal {
        vm.expectRevert(abi.encodeWithSelector(ITaskFaults.Openings_NothingWithheld.selector, 6, proposer));
    }
}
